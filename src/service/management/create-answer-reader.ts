import { getCaller } from '../auth/request-access.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { hasScope } from '../permission/scopes.ts'
import { readNoAnswer } from './insight-answers.ts'
import type { InsightAnswers, ReadAnswer } from './insight-answers.ts'
import type { SavedRequest } from './saved-resource.ts'

/**
 * Creates the reader of the answers in a response. A change is answered with the item too, and with its answers only to those who may
 * read them.
 */
export const createAnswerReader = (
  answers: InsightAnswers,
  scope: 'insight:read' | 'dashboard:read',
  { projectId, request, reply, refresh }: SavedRequest,
): ReadAnswer =>
  hasScope(getCaller(request).key.scopes, scope)
    ? answers.createReader({ projectId, refresh, signal: createLeaveSignal(reply) })
    : readNoAnswer
