/** Changes the URL of happy-dom's page, as a navigation without a page load does. */
export const visit = (url: string): void =>
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(url)
