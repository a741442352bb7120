/** The rules that tuning compares with. */
import { mpich4, mpich2005 } from './mpich.ts';
import { openMpi4 } from './open-mpi-4.ts';
import { openMpi5 } from './open-mpi-5.ts';
import type { RuleBook } from './rule.ts';

export type { Rule, RuleBook, RuleChoice } from './rule.ts';

export const ruleBooks: readonly RuleBook[] = [mpich2005, mpich4, openMpi4, openMpi5];
