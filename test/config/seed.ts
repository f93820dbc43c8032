import { configureGlobal } from 'fast-check'

/**
 * Property tests choose the same values in each run, so that a commit is red or green for everybody. `WAYMARK_SEED=<number>` chooses others:
 * run them with new seeds after changes, because a rare case may be among them.
 */
configureGlobal({ seed: Number(process.env['WAYMARK_SEED'] ?? 20_201) })
