/** What the sink knows the bench's own events by: packages may send others of their own. */
export const EVENT = 'order placed'

const USERS = 1000

/** The same event for every package: one of 1,000 users and four properties, of which one differs each time. */
export const eventOf = (n) => ({
  event: EVENT,
  distinctId: `user-${n % USERS}`,
  properties: { order: n, plan: 'pro', amount: 12.5, path: '/checkout/complete' },
})
