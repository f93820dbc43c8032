/** What the tables of the README are written with. */

export function row(cells) {
  return `| ${cells.join(' | ')} |`
}

/** The rule between headings and rows. */
export function rule(headings) {
  return row(headings.map(() => '---'))
}

export function thousands(value) {
  return Math.round(value).toLocaleString('en-US')
}

export function times(ratio) {
  return `${ratio < 10 ? ratio.toFixed(1) : thousands(ratio)}x`
}

export function verdict(isMet) {
  return `**${isMet ? 'met' : 'not met'}**`
}
