/** Moves happy-dom's page to another address, as a navigation without a load does. */
export const visit = (url: string): void =>
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(url)
