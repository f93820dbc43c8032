/** Name of the bench's events. The sink ignores other events, which packages may send themselves. */
export const EVENT = 'order placed'

const USERS = 1000

/** Creates the same event for every package: one of 1,000 users and four properties, one of them unique. */
export const createEvent = (n) => ({
  event: EVENT,
  distinctId: `user-${n % USERS}`,
  properties: { order: n, plan: 'pro', amount: 12.5, path: '/checkout/complete' },
})
