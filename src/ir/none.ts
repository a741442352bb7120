/** Stands for nobody, nowhere and nothing in columns of whole numbers, which count from 0. */
export const none = -1;

/** After every step and operation there is. */
export const never = 2 ** 31 - 1;
