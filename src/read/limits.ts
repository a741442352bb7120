/** What files may have, and how much of a complaint is written out. */
export const readable = {
  /** Levels of nesting: far more than a file that makes sense has, far fewer than the stack bears. */
  depth: 100,
  /** YAML takes far more time and memory than JSON (2 s and 250 MB for each MB), so it gets a small share of the limit. */
  yamlShare: 64,
  /** A link takes as much memory as eight transfers, and every source of routes looks at all of them. */
  linkShare: 8,
  /** Longer names would fill reports, and memory on large machines. */
  name: 200,
  axes: 16,
  /** More GPUs are in no host, and more channels in no release. */
  gpus: 1024,
  channels: 128,
  /** Ids and patterns are small; greater ones are mistakes. */
  id: 1000,
  /** Steps looked at in one file while waits pass through `nop`; a file that needs more is hostile. */
  visits: 8_000_000,
  /** Notes of one kind that are spelt out. */
  spelt: 3,
  /** As many names as fit a line are listed when none is near. */
  listed: 12,
  /** Longer lists are not searched for progressions, which takes as long as their length cubed in the worst case. */
  searched: 400,
  /** A loop of two is longer than two lines. */
  loop: 3,
} as const;
