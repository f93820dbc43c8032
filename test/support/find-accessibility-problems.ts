import axe from 'axe-core'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

declare const window: { readonly axe: typeof axe }

/**
 * Runs all rules of axe-core in the page. Returns one line per rule and element. Its script passes the page's policy, as devtools do.
 *
 * @param part Selector of the only part to look at. Default: the whole page.
 */
export const findAccessibilityProblems = async (page: Page, part = 'html'): Promise<string[]> => {
  await page.evaluate(axe.source)
  const { violations }: AxeResults = await page.evaluate((part) => window.axe.run(part), part)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
