import { createSinkServer } from './sink-server.mjs'

/** The sink in a process of its own, so that a package shares no thread with it: each message asks for one of its functions by name. */
const sink = createSinkServer()
const answer = async ({ ask, given }) => process.send({ answer: await sink[ask](given) })
process.on('message', (question) => void answer(question))
// The bench itself has ended, in whatever way.
process.once('disconnect', () => process.exit())
