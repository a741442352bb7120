/**
 * Random tests draw the same cases in every run, so that one that fails can be run again. `CCC_TEST_SEED=7 npm test` draws others;
 * what fails says its seed.
 */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.CCC_TEST_SEED ?? 1) });
