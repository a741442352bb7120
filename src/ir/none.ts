/** Marks a missing rank, place or item in columns of whole numbers, which otherwise count from 0. */
export const none = -1;

/** A step or operation number greater than all others: what is marked with it never happens. */
export const never = 2 ** 31 - 1;
