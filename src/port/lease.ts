/**
 * The right to deliver, held by one tab at a time.
 *
 * @param task Runs while this tab holds the right; the right ends when it settles or when the page dies.
 * @param steal Take the right from a holder that has stopped moving.
 * @returns False at once, without running `task`, when another tab holds the right: it is never waited for.
 */
export type Lease = (task: () => Promise<unknown>, steal?: boolean) => Promise<boolean>
