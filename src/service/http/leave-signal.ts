import type { FastifyReply } from 'fastify'

/** A signal that is aborted when the client closes its connection before it has the whole response. */
export const createLeaveSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  const leave = (): void => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return controller.signal
}
