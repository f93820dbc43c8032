import type { ClickHouseClient } from '@clickhouse/client'
import type { QueryControl } from '../../../../indexer/query-control.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import type { QueryResult } from '../../../../indexer/query-result.ts'
import { FilterError } from '../../../../insight/filter/filter-error.ts'
import type {
  AnswerOf,
  AskLimits,
  QuestionMethods,
  QuestionName,
  QuestionOf,
  SqlLines,
  SqlQuestion,
} from '../../../../insight/question/questions.ts'
import { createQuestionMethods } from '../../../../insight/question/questions.ts'
import { answerActors } from '../../question/actors.ts'
import { answerEarliestTime } from '../../question/earliest-time.ts'
import { answerEvents } from '../../question/events.ts'
import { answerLifecycle } from '../../question/lifecycle.ts'
import { answerNumberRange } from '../../question/number-range.ts'
import type { Select } from '../../question/select.ts'
import { answerStickiness } from '../../question/stickiness.ts'
import { answerTrendGroups } from '../../question/trend-groups.ts'
import type { ClickHouseConnection } from '../connect.ts'
import { checkSelect, MEMBER_SETTINGS } from '../member-query.ts'
import type { SelectRunner } from '../run-select.ts'
import { clickHouseEngine } from './clickhouse-engine.ts'
import { answerFunnel, findFunnelActors } from './funnel.ts'
import { answerEventNames, answerPropertyNames } from './names.ts'
import { answerPaths, findPathActors } from './paths.ts'
import { answerRetention, writeRetentionActors } from './retention.ts'
import type { Scan } from './scan.ts'
import { answerTrend } from './trend.ts'

/** Most rows of a SELECT that answers a question: as many as a trend of 26 groups in 10,000 periods has. */
const MAX_ROWS = 260_000

/** How the SELECTs of one answer run. Together they have the time that the question has. */
interface AnswerParts {
  readonly run: (sql: SqlQuestion) => Promise<QueryResult>
  readonly select: Select
  readonly scan: Scan
}

/** The rows of a result as lines of JSON. */
const toSqlLines = ({ rows, ...result }: QueryResult): SqlLines => ({
  ...result,
  lines: new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
})

const countEvents = async ({ range }: QuestionOf<'countEvents'>, select: Select): Promise<number> => {
  const [[count = 0] = []] = await select(`SELECT count() FROM events WHERE ${clickHouseEngine.dateRange(range)}`)
  return Number(count)
}

const ANSWERS: {
  readonly [Name in QuestionName]: (question: QuestionOf<Name>, parts: AnswerParts) => Promise<AnswerOf<Name>>
} = {
  query: (question, { run }) => run(question),
  queryLines: async (question, { run }) => toSqlLines(await run(question)),
  earliestTime: (question, { select }) => answerEarliestTime(question, select, clickHouseEngine),
  countEvents: (question, { select }) => countEvents(question, select),
  eventNames: (_question, { select }) => answerEventNames(select),
  propertyNames: ({ owner }, { select }) => answerPropertyNames(owner, select),
  numberRange: (question, { select }) => answerNumberRange(question, select, clickHouseEngine),
  trendGroups: (question, { select }) => answerTrendGroups(question, select, clickHouseEngine),
  trend: (question, { select }) => answerTrend(question, select),
  actors: (question, parts) =>
    answerActors(question, parts.select, clickHouseEngine, {
      retention: writeRetentionActors,
      funnel: (point) => findFunnelActors(point, parts),
      paths: (point) => findPathActors(point, parts),
    }),
  events: (question, { select }) => answerEvents(question, select, clickHouseEngine),
  paths: answerPaths,
  funnel: answerFunnel,
  retention: (question, { select }) => answerRetention(question, select),
  stickiness: (question, { select }) => answerStickiness(question, select, clickHouseEngine),
  lifecycle: (question, { select }) => answerLifecycle(question, select, clickHouseEngine),
}

/** Settings for the SELECTs of questions, which may need more memory than there is. */
const OWN_SETTINGS = { max_bytes_before_external_group_by: '1000000000', max_bytes_before_external_sort: '1000000000' }

/** The methods that answer questions with SELECTs. */
export const createAnswers = (
  { administrator, member }: Pick<ClickHouseConnection, 'administrator' | 'member'>,
  runner: SelectRunner,
): QuestionMethods => {
  const answer = async <Name extends QuestionName>(
    name: Name,
    question: QuestionOf<Name> & AskLimits,
    control?: QueryControl,
  ): Promise<AnswerOf<Name>> => {
    const deadline = performance.now() + question.timeoutMs
    const limits = (client: ClickHouseClient) => ({
      client,
      timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
    })
    const run: AnswerParts['run'] = async ({ sql, maxRows }) => {
      checkSelect(sql)
      return runner.run({ sql, maxRows, settings: MEMBER_SETTINGS, ...limits(member) }, control)
    }
    const scan: Scan = (sql, reader) =>
      runner.scan({ sql, settings: OWN_SETTINGS, ...limits(administrator) }, reader, control)
    const select: Select = async (sql) => {
      const { rows, hasMore } = await runner.run(
        { sql, maxRows: MAX_ROWS, settings: OWN_SETTINGS, ...limits(administrator) },
        control,
      )
      if (hasMore)
        throw new QueryError('memory', `The answer has more than ${MAX_ROWS} rows. Ask for fewer periods or groups.`)
      return rows
    }
    try {
      return await ANSWERS[name](question, { run, select, scan })
    } catch (error) {
      throw error instanceof FilterError ? new QueryError('invalid', `${error.message}.`, { cause: error }) : error
    }
  }
  return createQuestionMethods(answer)
}
