/** Whether a crawler or an automated browser shows the page. Throws where there is no navigator. CUBOT is a maker of phones. */
export const isBot = (): boolean => navigator.webdriver || /[^u]bot\b|crawl|spider|headless/i.test(navigator.userAgent)
