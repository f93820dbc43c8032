/** Whether a crawler or an automated browser shows the page. False where there is no navigator. CUBOT is a maker of phones. */
export const isBot = (
  { webdriver, userAgent }: Pick<Navigator, 'webdriver' | 'userAgent'> = globalThis.navigator ?? {},
): boolean => webdriver || /[^u]bot\b|crawl|spider|headless/i.test(userAgent)
