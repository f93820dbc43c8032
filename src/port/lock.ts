/**
 * The delivery lock, held by one tab at a time.
 *
 * @param task Runs while this tab holds the lock. The lock is released when the task settles or the page dies.
 * @param steal Takes the lock from a frozen holder.
 * @returns False at once, without running `task`, when another tab holds the lock.
 */
export type Lock = (task: () => Promise<unknown>, steal?: boolean) => Promise<boolean>
