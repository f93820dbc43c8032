/** What checks and shapes values. It is loaded with the first request that needs it, because loading it slows the start. */
export { Check, Errors } from 'typebox/schema'
export { Clean } from 'typebox/value'
