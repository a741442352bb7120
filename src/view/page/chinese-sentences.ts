/** Chinese for sentences that ccc writes in English into the data of a page: reasons of certificates, lines of proofs. `{a}` stands for a part that differs from sentence to sentence. */
type Sentence = readonly [english: string, chinese: string];

const sentences: readonly Sentence[] = [
  // Certificates, in the order of docs/bounds.md.
  ['nothing has to be sent', '无需发送任何数据'],
  [
    'rank {a} must get a signal from rank {b}, at least by seeing that a full channel has been read',
    'rank {a} 必须得到 rank {b} 的消息，哪怕只是得知一个已满的通道被读走',
  ],
  [
    'rank {a} needs data from rank {b}, and no path between them is faster',
    'rank {a} 需要 rank {b} 的数据，而两者相距如此之远',
  ],
  ['rank {a} needs data from rank {b}, and lanes must {c} it', 'rank {a} 需要 rank {b} 的数据，由队列{c}'],
  [
    "one rank's data must reach all {a} ranks, and a chip can {b} {c} messages at a time, first {d} its neighbours: {e} plus the time of the last rank's bytes",
    '一个 rank 的数据必须到达全部 {a} 个 rank，而一个芯片一次只能{b} {c} 条消息，先{d}相邻的芯片：{e}，再加上最后一个 rank 的字节',
  ],
  [
    "one rank must get data from all {a} ranks, and a chip can {b} {c} messages at a time, first {d} its neighbours: {e} plus the time of the last rank's bytes",
    '一个 rank 必须得到全部 {a} 个 rank 的数据，而一个芯片一次只能{b} {c} 条消息，先{d}相邻的芯片：{e}，再加上最后一个 rank 的字节',
  ],
  [
    '{a} must send the others {b} through {c} of bandwidth, and the last bytes to cross must still reach their destination; {d}',
    '{a} 必须经 {c} 向其余各 rank 送出 {b}，而最后越过割的数据还有剩下的路要走；{d}',
  ],
  [
    '{a} must send the others {b} through {c} of bandwidth, and the last bytes to cross must still reach their destination',
    '{a} 必须经 {c} 向其余各 rank 送出 {b}，而最后越过割的数据还有剩下的路要走',
  ],
  ['the chips must send messages of {a} in total, at {b} together', '各芯片总共必须发送 {a} 的消息，合计速度为 {b}'],
  ['the chips must receive messages of {a} in total, at {b} together', '各芯片总共必须接收 {a} 的消息，合计速度为 {b}'],
  [
    '{a}: the link lengths in the certificate (dual weights) show that no routing is faster',
    '{a}：按证书中的长度加权，把所有链路合在一起看，没有更快的路由',
  ],
  [
    '{a} must be reduced in total, after the first data has arrived, and all reduce engines together reduce {b}',
    '收到数据之后总共要归约 {a}，而所有归约引擎合起来的速度是 {b}',
  ],
  [
    'rank {a} must copy {b} between its buffers and the memory that links can access, at {c}',
    'rank {a} 必须以 {c} 在自己的缓冲区与链路可达的内存之间复制 {b}',
  ],
  [
    'rank {a} sends {b}, which must be copied at {c} before its messages start',
    'rank {a} 发出 {b}，消息开始之前这些数据要以 {c} 拷贝好',
  ],
  [
    'rank {a} receives {b}, which must be copied at {c} after they have arrived',
    'rank {a} 收到 {b}，到达之后这些数据要以 {c} 拷贝出去',
  ],
  [
    'messages of {a} in total must leave chips through {b}, and {c} must be reduced while links are idle',
    '总计 {a} 的消息必须经 {b} 离开芯片，还要归约 {c}，归约时链路空闲',
  ],
  [
    'messages of {a} in total must enter chips through {b}, and {c} must be reduced while links are idle',
    '总计 {a} 的消息必须经 {b} 进入芯片，还要归约 {c}，归约时链路空闲',
  ],
  [
    'rank {a} must receive and combine {b} itself, since receiving them through other ranks would take at least as long',
    'rank {a} 要自己收下并归约 {b}；若经由其他 rank 转来，则更慢',
  ],
  [
    'rank {a} must receive {b}, and this takes at least {c}: their latencies add to the time of the bytes',
    'rank {a} 必须收下 {b}，而凑齐它们需要{c}：两段时间相加',
  ],
  [
    'rank {a} must send {b}, and this takes at least {c}: their latencies add to the time of the bytes',
    'rank {a} 必须送出 {b}，而凑齐它们需要{c}：两段时间相加',
  ],
  [
    'on a ring or line, shards reach rank {a} or leave it one after another: {b} of them cross one link, each with its latency',
    '在环或线上，分片一个接一个到达或离开 rank {a}：一条链路上有 {b} 个，每个都有自己的延迟',
  ],
  [
    'data that is relayed is sent twice: at most {a} of {b} pairs of ranks use direct messages, each of which occupies senders for its latency and its bytes',
    '不直达的数据要发送两次：{b} 对 rank 中至多 {a} 对有自己的消息，每条在发送方占用其延迟和字节的时间',
  ],
  [
    'data that is relayed is sent twice: at most {a} of {b} pairs of ranks use direct messages, each of which occupies receivers for its latency and its bytes',
    '不直达的数据要发送两次：{b} 对 rank 中至多 {a} 对有自己的消息，每条在接收方占用其延迟和字节的时间',
  ],
  [
    '{a} must be relayed by chips between rank {b} and the others: with few messages a relay waits for whole messages, with many it pays their latencies',
    '{a} 要在 rank {b} 与其余各 rank 之间经过芯片：消息少则要等整条消息，消息多则要付更多延迟',
  ],
  [
    '{a} between rank {c} and the ranks behind rank {b} are either stored at that rank or pass it in messages that occupy its links, and it needs them itself',
    '{a} 在 rank {c} 与其后各 rank 之间要么停在 rank {b}，要么以占用其链路的消息穿过它，而它自己也需要这些数据',
  ],
  // Of compact plans.
  [
    'some rank has to {b} {a} through {c}, and the last message pays its latency',
    '某个 rank 必须经 {c} {b} {a}，最后一条消息还要付自己的延迟',
  ],
  [
    'some rank has to reduce {a} at {b}, after the first data has arrived',
    '某个 rank 在收到数据之后还要以 {b} 归约 {a}',
  ],
  [
    'some rank has to reduce {a} at {b}, and at other times to send {c} through {d}',
    '某个 rank 必须以 {b} 归约 {a}，并在其他时间经 {d} 发送{c}',
  ],
  [
    "every rank's {a} for every other rank cross {b} links in total by the link lengths in the certificate, through {c}",
    '按证书中的长度，每个 rank 给其他每个 rank 的 {a} 合计经过 {b} 条链路，总带宽为 {c}',
  ],
  [
    'rank {a} needs {b} from rank {c}, which is {d} away, through all its links',
    'rank {a} 需要经自己的全部链路得到 rank {c} 的 {b}，而后者远在 {d} 之外',
  ],
  [
    'a chip can {b} {c} messages at a time, so it takes at least {a} rounds until all {d} ranks have data from each other',
    '一个芯片一次能{b} {c} 条消息，因此全部 {d} 个 rank 互相得到数据至少需要 {a} 轮',
  ],
  ['{a} must leave every rank to {b} away or farther, through {c}', '每个 rank 必须经 {c} 向 {b} 或更远处送出 {a}'],
  ['{a} must reach every rank from {b} away or farther, through {c}', '每个 rank 必须经 {c} 从 {b} 或更远处得到 {a}'],
  [
    'every rank must send {a}, and this takes at least {b}: their latencies add to the time of the bytes',
    '每个 rank 必须送出 {a}，而凑齐它们需要{b}：两段时间相加',
  ],
  [
    'every rank must receive {a}, and this takes at least {b}: their latencies add to the time of the bytes',
    '每个 rank 必须收下 {a}，而凑齐它们需要{b}：两段时间相加',
  ],
  [
    '{a} must go between sets like {b}, through {c} in total, and the last message pays its latency',
    '{a} 必须在形如{b}的集合之间经总计 {c} 传送，最后一条消息还要付自己的延迟',
  ],
  [
    '{a} must {b} through {c}, and the last message pays its latency',
    '{a} 必须经 {c} {b}，最后一条消息还要付自己的延迟',
  ],
  [
    'some link of a chip must {a} {b} for one chip after another, which takes as long as {c} messages',
    '芯片的某条链路必须为各芯片接连{a} {b}，所需时间与 {c} 条消息相同',
  ],
  // Proofs, check by check.
  ['well formed: {a}', '格式正确：{a}'],
  [
    'matched: each of {a} messages is sent and received, in order, with equal counts',
    '配对：{a} 条消息各有发送和接收，顺序一致，数量相等',
  ],
  ['initialised: nothing is read before it is written', '已初始化：没有任何数据在写入之前被读'],
  [
    'no deadlock with unbounded transfers in flight per connection; the smallest safe limit is {a}',
    '每个连接的在途传输不限数量时不会死锁；最小的安全上限是 {a}',
  ],
  [
    'no deadlock with {a} transfers in flight per connection; the smallest safe limit is {b}',
    '每个连接允许 {a} 个在途传输时不会死锁；最小的安全上限是 {b}',
  ],
  ['no data race in any interleaving: {a}', '任何交错执行都没有数据竞争：{a}'],
  ['no data race in any interleaving, over {a} bulks: {b}', '{a} 批的任何交错执行都没有数据竞争：{b}'],
  ['result: every output slot holds what its conditions require', '结果：每个输出位置的内容都符合其条件'],
  ['result: every output slot holds what {a} requires', '结果：每个输出位置的内容都符合 {a} 的定义'],
  ['result: no rank leaves before every rank has entered', '结果：在所有 rank 进入之前，没有 rank 离开'],
  ['deterministic: identical on all ranks', '确定性：所有 rank 上的结果逐位相同'],
  [
    'deterministic for each rank, but not identical on all ranks (see the warning)',
    '每个 rank 上是确定的，但各 rank 之间并非逐位相同（见警告）',
  ],
  ['limits: {a} has the engines and the memory for it', '限制：{a} 有所需的引擎和内存'],
  [
    'limits: every address and length is a multiple of {a} bytes in {b}, and all fits the commands of {c}',
    '限制：在 {b} 中每个地址和长度都是 {a} 字节的倍数，并且都符合 {c} 的命令',
  ],
  [
    'limits: every address and length is a multiple of {a} bytes, and all fits the commands of {b}',
    '限制：每个地址和长度都是 {a} 字节的倍数，并且都符合 {b} 的命令',
  ],
  ['capacity: no link of {a} carries more than the claimed rounds', '容量：{a} 的任何链路所承载的都不超过声明的轮数'],
  ['checked by the kernel (ccc-check)', '由内核（ccc-check）检查'],
];

/** Translations of parts that stand for a letter above; amounts and names stay unchanged. */
const parts: readonly Sentence[] = [
  ['send, receive and combine', '发送、接收并归约'],
  ['send and receive', '发送并接收'],
  ['send', '发送'],
  ['receive', '接收'],
  ['to', '到'],
  ['from', '从'],
  ['leave {a}', '离开{a}'],
  ['reach {a}', '到达{a}'],
  ['every chip', '每个芯片'],
  ['as much', '同样多的数据'],
  ['twice as much', '两倍的数据'],
  ['the {a} chips that differ on axes {b} alone', '只在轴 {b} 上不同的 {a} 个芯片'],
  ['no cut is tighter', '没有更紧的割'],
  ['the tightest cut that was found', '这是找到的最紧的割'],
  ['ranks {a}, … ({b} in all)', 'rank {a} 等（共 {b} 个）'],
  ['ranks {a}', 'rank {a}'],
  ['rank {a}', 'rank {a}'],
  ['every shard of {a} must travel from its source to its destination', '每个 {a} 的分片都有自己的路程要走'],
  [
    'parts of the machine must exchange {a} in both directions, as spanning trees do',
    '机器的各部分必须双向交换 {a}，如同跨越它们的树那样',
  ],
  ['{a} must pass from rank to rank and be combined on the way', '{a} 必须从一个 rank 传到下一个 rank，并在途中归约'],
  [
    'parts of the machine that contain ranks of one group must be connected, as spanning trees do',
    '机器中含有同一组 rank 的各部分必须连通，如同跨越它们的树那样',
  ],
  [
    '{a} must be distributed or collected along trees made of the routes of messages',
    '{a} 必须沿消息所走的路由，以树的形式散开或汇合',
  ],
  ['one message', '一条消息'],
  ['{a} consecutive messages', '接连 {a} 条消息'],
  ['{a} operations of {b} ranks are in range', '{b} 个 rank 的 {a} 个操作都在范围内'],
  ['{a}; {b} has a route for every message', '{a}；{b} 对每条消息都有路由'],
  ['race-free under event ownership', '在事件所有权下无竞争'],
  ['race-free under strict ownership', '在严格所有权下无竞争'],
];

interface Pattern {
  readonly english: RegExp;
  readonly names: readonly string[];
  readonly chinese: string;
}

function patternOf([english, chinese]: Sentence): Pattern {
  const plain = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return {
    english: new RegExp(`^${plain.replace(/\{\w\}/g, '(.+?)')}$`),
    names: [...english.matchAll(/\{(\w)\}/g)].map(([, name]) => name),
    chinese,
  };
}

const patterns = { sentences: sentences.map(patternOf), parts: parts.map(patternOf) };

/** The sentence in Chinese; undefined if there is no translation. */
export function inChinese(sentence: string, among: keyof typeof patterns = 'sentences'): string | undefined {
  for (const { english, names, chinese } of patterns[among]) {
    const found = english.exec(sentence);
    if (found === null) continue;
    const values = new Map(names.map((name, index) => [name, found[index + 1]]));
    return chinese.replace(/\{(\w)\}/g, (_, name: string) => {
      const value = values.get(name) ?? '';
      return inChinese(value, 'parts') ?? value;
    });
  }
  return undefined;
}
