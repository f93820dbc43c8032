/** Whether a crawler or an automated browser shows the page. CUBOT is a maker of phones. */
export const isBot = (): boolean => {
  const page = globalThis.navigator as Navigator | undefined
  return page?.webdriver || /[^u]bot\b|crawl|spider|headless/i.test(page?.userAgent as string)
}
