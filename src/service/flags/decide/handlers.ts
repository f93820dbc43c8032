import { isRecord } from '../../../wire/json.ts'
import type { ProjectOfKey } from '../../auth/project-keys.ts'
import type { Config } from '../../config.ts'
import { requestAddresses } from '../../geo/request-addresses.ts'
import { bodyForm } from '../../http/request-body.ts'
import type { ReadJson } from '../../http/request-body.ts'
import type { Handler, Texts } from '../../http/route.ts'
import { keyOf } from '../../ingest/request.ts'
import { invalid } from '../../refusal.ts'
import { answeredConfig } from '../../remote-config/answered-config.ts'
import { decideAnswer } from './decide-response.ts'
import type { Decide } from './decide-call.ts'
import type { Evaluated } from './evaluated.ts'
import { flagsAnswer } from './flags-response.ts'

/** What the routes that evaluate flags need. */
export interface FlagHandlersParts {
  readonly config: Pick<Config, 'maxBodyBytes' | 'trustProxy'>
  readonly projectOfKey: ProjectOfKey
  readonly readJson: ReadJson
  readonly decide: Decide
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The body of a flag request is smaller than this: what it costs grows with the length of the ids and properties in it, times the flags, and
 * the key is public. 1 MiB is what the properties of a person may come to.
 */
const MOST_FLAG_REQUEST_BYTES = 1024 * 1024

/** Makes the handler of `POST /decide`: flags and remote config in one, for the protocol's first generation. */
export const answerDecide = (parts: FlagHandlersParts): Handler =>
  evaluating(parts, (evaluated, { v }, hasSurveys) => decideAnswer(evaluated, v, hasSurveys))

/** Makes the handler of `POST /flags`: flags alone; with `config=true` the remote config beside them. */
export const answerFlags = (parts: FlagHandlersParts): Handler =>
  evaluating(parts, (evaluated, { v, config }, hasSurveys) =>
    flagsAnswer(evaluated, v, config === 'true' ? answeredConfig(hasSurveys) : ''),
  )

const evaluating =
  (
    { config: { maxBodyBytes, trustProxy }, projectOfKey, readJson, decide, hasSurveys, now }: FlagHandlersParts,
    answer: (evaluated: Evaluated, query: Texts, hasSurveys: boolean) => string,
  ): Handler =>
  async (request, reply) => {
    const body = await readJson(request, Math.min(maxBodyBytes, MOST_FLAG_REQUEST_BYTES), bodyForm(request))
    if (!isRecord(body)) throw invalid('invalid_shape', 'The body must be an object.')
    const { id } = await projectOfKey(keyOf(body), now())
    const evaluated = await decide({ projectId: id, body, ...requestAddresses(request, trustProxy) })
    // Metadata that cannot be read keeps no flags back, so surveys must not; that it cannot is told where flags are looked for.
    const text = answer(evaluated, request.query, await hasSurveys(id).catch(() => false))
    return reply.type('application/json; charset=utf-8').send(text)
  }
