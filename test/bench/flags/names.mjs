/** Our name in the table. */
export const OURS = 'waymark'

/** What our second row leaves out: its calls get the context of the person, which those of the first row make. */
export const CONTEXT_MADE_BEFORE = 'context made before'
