/**
 * Returns the HTML that tracks a page.
 *
 * @param url URL of the service, as pages reach it, without a slash at the end. The agent sends its events there, because it comes from there.
 * @param apiKey The project API key.
 */
export const scriptTag = (url: string, apiKey: string): string =>
  `<script defer src="${url}/waymark.js" data-key="${apiKey}"></script>`
