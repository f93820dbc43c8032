/** Parts of the Markdown tables in the bench README. */

export const row = (cells) => `| ${cells.join(' | ')} |`

/** The line between headings and rows. */
export const rule = (headings) => row(headings.map(() => '---'))

export const thousands = (value) => Math.round(value).toLocaleString('en-US')

export const times = (ratio) => `${ratio < 10 ? ratio.toFixed(1) : thousands(ratio)}x`

export const verdict = (isMet) => `**${isMet ? 'met' : 'not met'}**`
