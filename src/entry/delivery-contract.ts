/**
 * Number of the contract between `waymark.js` and the chunk that delivers its events, and part of the chunk's name. A browser may have the
 * script of one version in its cache and get the chunk of another one, which fits while the number is the same. A service that has only
 * another number answers 404; then the events wait in the browser for a page with the new script.
 *
 * The contract: the members of `CreateDelivery` and of all that goes through it, and what they mean. Who changes one of them raises the
 * number, here and in `rollup.config.mjs`; a test has the members of each number.
 */
export const DELIVERY_CONTRACT = 1
