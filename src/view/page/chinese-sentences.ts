/** Chinese for sentences that ccc writes in English into the data of a page: reasons of certificates, lines of proofs. `{a}` stands for a part that differs from sentence to sentence. */
type Sentence = readonly [english: string, chinese: string];

const sentences: readonly Sentence[] = [
  // Certificates, in the order of docs/bounds.md.
  ['nothing has to be sent', '无需发送任何数据'],
  [
    'rank {a} must hear from rank {b}, if only by a full channel being read',
    'rank {a} 必须得到 rank {b} 的消息，哪怕只是得知一个已满的通道被读走',
  ],
  ['rank {a} needs something of rank {b}, which is that far away', 'rank {a} 需要 rank {b} 的数据，而两者相距如此之远'],
  ['rank {a} needs something of rank {b}, {c} by lanes', 'rank {a} 需要 rank {b} 的数据，由队列{c}'],
  [
    "one rank's data must reach all {a}, and a chip can {b} {c} at a time, first {d} those next to it: {e}, and the last rank's bytes",
    '一个 rank 的数据必须到达全部 {a} 个 rank，而一个芯片一次只能{b} {c} 条消息，先{d}相邻的芯片：{e}，再加上最后一个 rank 的字节',
  ],
  [
    "one rank must get data of all {a}, and a chip can {b} {c} at a time, first {d} those next to it: {e}, and the last rank's bytes",
    '一个 rank 必须得到全部 {a} 个 rank 的数据，而一个芯片一次只能{b} {c} 条消息，先{d}相邻的芯片：{e}，再加上最后一个 rank 的字节',
  ],
  [
    '{a} must send the others {b} through {c}, and what crosses last still has its way to go; {d}',
    '{a} 必须经 {c} 向其余各 rank 送出 {b}，而最后越过割的数据还有剩下的路要走；{d}',
  ],
  [
    '{a} must send the others {b} through {c}, and what crosses last still has its way to go',
    '{a} 必须经 {c} 向其余各 rank 送出 {b}，而最后越过割的数据还有剩下的路要走',
  ],
  ['messages of {a} in all must leave the chips, through {b}', '总计 {a} 的消息必须经 {b} 离开各芯片'],
  ['messages of {a} in all must enter the chips, through {b}', '总计 {a} 的消息必须经 {b} 进入各芯片'],
  [
    '{a}: over all links, weighed by the lengths in the certificate, no routing is faster',
    '{a}：按证书中的长度加权，把所有链路合在一起看，没有更快的路由',
  ],
  [
    '{a} must be reduced in all, once something has come, and the engines together reduce {b}',
    '收到数据之后总共要归约 {a}，而所有归约引擎合起来的速度是 {b}',
  ],
  [
    'rank {a} must copy {b} between its buffers and the memory that links reach, at {c}',
    'rank {a} 必须以 {c} 在自己的缓冲区与链路可达的内存之间复制 {b}',
  ],
  [
    'rank {a} sends {b}, which are copied at {c} before its messages begin',
    'rank {a} 发出 {b}，消息开始之前这些数据要以 {c} 拷贝好',
  ],
  [
    'rank {a} receives {b}, which are copied at {c} when they are there',
    'rank {a} 收到 {b}，到达之后这些数据要以 {c} 拷贝出去',
  ],
  [
    'messages of {a} in all must leave chips through {b}, and {c} be reduced, while links are idle',
    '总计 {a} 的消息必须经 {b} 离开芯片，还要归约 {c}，归约时链路空闲',
  ],
  [
    'messages of {a} in all must enter chips through {b}, and {c} be reduced, while links are idle',
    '总计 {a} 的消息必须经 {b} 进入芯片，还要归约 {c}，归约时链路空闲',
  ],
  [
    'rank {a} takes in and combines {b} by itself, unless they come over others, which takes longer',
    'rank {a} 要自己收下并归约 {b}；若经由其他 rank 转来，则更慢',
  ],
  [
    'rank {a} must take in {b}, and it takes {c} to have them together: both times add up',
    'rank {a} 必须收下 {b}，而凑齐它们需要{c}：两段时间相加',
  ],
  [
    'rank {a} must send out {b}, and it takes {c} to have them together: both times add up',
    'rank {a} 必须送出 {b}，而凑齐它们需要{c}：两段时间相加',
  ],
  [
    'on a ring or line shards come to rank {a}, or leave it, one after the other: {b} over one link, each with its latency',
    '在环或线上，分片一个接一个到达或离开 rank {a}：一条链路上有 {b} 个，每个都有自己的延迟',
  ],
  [
    'what does not go straight is sent twice: at best {a} of {b} pairs of ranks have messages of their own, each for its latency and bytes at senders',
    '不直达的数据要发送两次：{b} 对 rank 中至多 {a} 对有自己的消息，每条在发送方占用其延迟和字节的时间',
  ],
  [
    'what does not go straight is sent twice: at best {a} of {b} pairs of ranks have messages of their own, each for its latency and bytes at receivers',
    '不直达的数据要发送两次：{b} 对 rank 中至多 {a} 对有自己的消息，每条在接收方占用其延迟和字节的时间',
  ],
  [
    '{a} pass chips between rank {b} and the others: few messages mean waiting for whole ones, many mean latencies',
    '{a} 要在 rank {b} 与其余各 rank 之间经过芯片：消息少则要等整条消息，消息多则要付更多延迟',
  ],
  [
    '{a} stop at rank {b} on their way between rank {c} and what is behind, or pass it in messages that keep its links, and it needs them as well',
    '{a} 在 rank {c} 与其后各 rank 之间要么停在 rank {b}，要么以占用其链路的消息穿过它，而它自己也需要这些数据',
  ],
  // Of compact plans.
  [
    'some rank has to {b} {a} through {c}, and the last message has its latency to pay',
    '某个 rank 必须经 {c} {b} {a}，最后一条消息还要付自己的延迟',
  ],
  ['some rank has to reduce {a} at {b}, after something has come to it', '某个 rank 在收到数据之后还要以 {b} 归约 {a}'],
  [
    'some rank has to reduce {a} at {b}, and at other times to send {c} through {d}',
    '某个 rank 必须以 {b} 归约 {a}，并在其他时间经 {d} 发送{c}',
  ],
  [
    "every rank's {a} for each other go over {b} links in all by the lengths of the certificate, through {c}",
    '按证书中的长度，每个 rank 给其他每个 rank 的 {a} 合计经过 {b} 条链路，总带宽为 {c}',
  ],
  [
    'rank {a} needs {b} of rank {c}, which is {d} away, through all its links',
    'rank {a} 需要经自己的全部链路得到 rank {c} 的 {b}，而后者远在 {d} 之外',
  ],
  [
    'in {a} rounds at least, as a chip can {b} {c} messages at a time, all {d} ranks hear of one another',
    '一个芯片一次能{b} {c} 条消息，全部 {d} 个 rank 互通消息至少需要 {a} 轮',
  ],
  ['{a} must leave every rank to {b} away or farther, through {c}', '每个 rank 必须经 {c} 向 {b} 或更远处送出 {a}'],
  ['{a} must come to every rank from {b} away or farther, through {c}', '每个 rank 必须经 {c} 从 {b} 或更远处得到 {a}'],
  [
    'every rank must send out {a}, and it takes {b} to have them together: both times add up',
    '每个 rank 必须送出 {a}，而凑齐它们需要{b}：两段时间相加',
  ],
  [
    'every rank must take in {a}, and it takes {b} to have them together: both times add up',
    '每个 rank 必须收下 {a}，而凑齐它们需要{b}：两段时间相加',
  ],
  [
    '{a} must go between sets like {b}, through {c} in all, and the last message has its latency to pay',
    '{a} 必须在形如{b}的集合之间经总计 {c} 传送，最后一条消息还要付自己的延迟',
  ],
  [
    '{a} must {b} through {c}, and the last message has its latency to pay',
    '{a} 必须经 {c} {b}，最后一条消息还要付自己的延迟',
  ],
  [
    'over some link of a chip {a} {b}, from one chip after the other: in {c} messages or as if it were',
    '芯片的某条链路上有 {b} 从各芯片接连{a}：分 {c} 条消息，或等同于此',
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
  ['result: every output slot holds what its conditions say', '结果：每个输出位置的内容都符合其条件'],
  ['result: every output slot holds what {a} says', '结果：每个输出位置的内容都符合 {a} 的定义'],
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
  ['sent, received and combined', '发送、接收并归约'],
  ['sent and received', '发送并接收'],
  ['send', '发送'],
  ['receive', '接收'],
  ['to', '到'],
  ['from', '从'],
  ['leave {a}', '离开{a}'],
  ['come to {a}', '到达{a}'],
  ['come', '到来'],
  ['leave', '离开'],
  ['every chip', '每个芯片'],
  ['as much', '同样多的数据'],
  ['twice as much', '两倍的数据'],
  ['the {a} chips that differ on axes {b} alone', '只在轴 {b} 上不同的 {a} 个芯片'],
  ['no cut is tighter', '没有更紧的割'],
  ['the tightest cut that was found', '这是找到的最紧的割'],
  ['ranks {a}, … ({b} in all)', 'rank {a} 等（共 {b} 个）'],
  ['ranks {a}', 'rank {a}'],
  ['rank {a}', 'rank {a}'],
  ['every shard of {a} has its distance to go', '每个 {a} 的分片都有自己的路程要走'],
  [
    'parts of the machine must exchange {a} both ways, as trees that span them do',
    '机器的各部分必须双向交换 {a}，如同跨越它们的树那样',
  ],
  ['{a} must go from rank to rank and be combined on the way', '{a} 必须从一个 rank 传到下一个 rank，并在途中归约'],
  [
    'parts of the machine that have ranks of one group must be joined, as trees that span them do',
    '机器中含有同一组 rank 的各部分必须连通，如同跨越它们的树那样',
  ],
  [
    '{a} must spread or come together in trees of the routes that messages take',
    '{a} 必须沿消息所走的路由，以树的形式散开或汇合',
  ],
  ['one message', '一条消息'],
  ['{a} messages in a row', '接连 {a} 条消息'],
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
