/** What plans are drawn of, and how much of them. */
export const viewLimits = {
  /** Programs that wait for each other in a circle push each other on for ever: then lanes alone count. */
  passes: 64,
  /** Spans in parts in which none overlaps another: each goes to the first that is free. Never more than so many: the rest share the last. */
  parts: 4,
  /** Certificates that are shown; further ones are weaker still. */
  certificates: 8,
  /** Of plans with more operations in all bulks nothing is drawn over time; of more still, not even how busy links are is known. */
  instances: 4_000_000,
  simulated: 16_000_000,
} as const;
