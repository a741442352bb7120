/** What a check of a certificate comes to: `refused` if it does not prove its claim, `unknown` if its kind is none that there is. */
export type Verdict = 'certified' | 'refused' | 'unknown' | 'too much work';
