import { createSinkServer } from './sink-server.mjs'

/** Runs the sink in its own process, so that no package shares a thread with it. Each message calls one of its functions by name. */
const sink = createSinkServer()
const call = async ({ name, argument }) => process.send({ result: await sink[name](argument) })
process.on('message', (message) => void call(message))
// The process of the bench has ended.
process.once('disconnect', () => process.exit())
