/** Our name in the table. */
export const OURS = 'waymark'

/** Our second row: its calls get a prebuilt context, while those of the first row create one. */
export const PREBUILT_CONTEXT = 'context made before'
