import type { Page } from 'playwright-core'

/** More stops than any page has. */
const MAX_STOPS = 200

/** What the page says of the control with the focus. */
interface FocusStop {
  readonly name: string
  /** Names of elements that lie over it, or where it lies outside of the window. */
  readonly problems: readonly string[]
}

/** Goes through a page with the Tab key, from the start to the end of the document. */
export const tabThrough = async (page: Page): Promise<readonly FocusStop[]> => {
  const stops: FocusStop[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(describeFocus)
    if (!stop || stop.name === stops[0]?.name) return stops
    stops.push(stop)
    if (stops.length > MAX_STOPS) throw new Error(`The Tab key finds no end: ${stops.at(-1)!.name}`)
  }
}

/** Runs in the page, so it uses nothing else. Undefined: no control has the focus. */
const describeFocus = (): FocusStop | undefined => {
  const control = document.activeElement
  if (!control || control === document.body) return undefined
  const nameOf = (node: Element): string =>
    `${node.tagName.toLowerCase()}#${node.id} ${(node.getAttribute('aria-label') ?? node.textContent ?? '').trim().slice(0, 40)}`
  const problems = new Set<string>()
  for (const box of control.getClientRects()) {
    const isLarge = box.height > innerHeight / 2
    if (!isLarge && (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth))
      problems.add('outside of the window')
    // The middle, and the corners where they are not rounded off. Of a region that is larger than the window, any part may be in view.
    const parts = isLarge ? [0.5] : [0.1, 0.5, 0.9]
    for (const across of parts)
      for (const down of parts) {
        const over = document.elementFromPoint(box.left + across * box.width, box.top + down * box.height)
        if (over && !control.contains(over) && !over.contains(control)) problems.add(`covered by ${nameOf(over)}`)
      }
  }
  return { name: nameOf(control), problems: [...problems] }
}
