/** Limits on the content of files, and on the length of messages about them. */
export const readable = {
  /** Levels of nesting: far more than sensible files have, far fewer than overflow the stack. */
  depth: 100,
  /** YAML texts may have this fraction of the limit `fileBytes`, since parsing a megabyte takes 2 s and 250 MB, far more than JSON. */
  yamlShare: 64,
  /** Links count as this many transfers: one takes as much memory, and the search for routes from every chip visits all of them. */
  linkShare: 8,
  /** The longest name, in characters: longer ones would fill reports, and memory on large machines. */
  name: 200,
  axes: 16,
  /** The most GPUs of a host and the most channels in dumps of NCCL; no host and no release has more. */
  gpus: 1024,
  channels: 128,
  /** The largest ids and patterns in dumps of NCCL; larger ones are mistakes. */
  id: 1000,
  /** The most steps that are visited while waits are followed through `nop` operations; a file that needs more is hostile. */
  visits: 8_000_000,
  /** Notes of one kind that are written out; the others are counted. */
  spelt: 3,
  /** Names that are listed, about a line of them, when none is similar to the wrong one. */
  listed: 12,
  /** Longer lists are not searched for arithmetic progressions, which takes cubic time in the worst case. */
  searched: 400,
  /** The shortest progression that is written as a loop: a loop over two is longer than two statements. */
  loop: 3,
} as const;
