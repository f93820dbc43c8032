/**
 * Whether a crawler or an automated browser shows the page. CUBOT is a maker of phones.
 *
 * @param browser Default: the one that shows the page. Undefined while Node 20 renders it.
 */
export const isBot = (browser = globalThis.navigator as Navigator | undefined): boolean =>
  browser?.webdriver || /[^u]bot\b|crawl|spider|headless/i.test(browser?.userAgent as string)
