import type { QueryProgress } from '../../../../indexer/query-control.ts'
import type { AskLimits, QuestionName, QuestionOf } from '../../../../insight/question/questions.ts'
import type { DuckDbLimits } from '../open-instance.ts'
import type { PackedStore } from '../packed-store.ts'
import type { ThreadError } from './thread-error.ts'

// The messages between the indexer's thread and the thread of its stores.

/** The file of a project, as the thread opens it. */
export interface FileOfProject extends DuckDbLimits {
  /** See `DuckDbStoreOptions.file`. */
  readonly file: string
  readonly projectId: number
  /** See `DuckDbStoreOptions.mustExist`. */
  readonly mustExist?: boolean
  /** Whether only a few events are written: the file is then opened in an instance that it shares, and answers no question. */
  readonly isBrief?: boolean
}

/** The methods that take one argument and are answered. */
export type Method = Exclude<keyof PackedStore, 'opened' | 'ask' | 'interrupt'>

/** Messages to the thread. Each open file has a number, which the sender chooses. */
export type ToStoreThread =
  | { readonly type: 'open'; readonly call: number; readonly store: number; readonly file: FileOfProject }
  | {
      readonly type: 'call'
      readonly call: number
      readonly store: number
      readonly method: Method
      readonly input: unknown
    }
  | {
      readonly type: 'ask'
      readonly call: number
      readonly store: number
      readonly name: QuestionName
      readonly question: QuestionOf<QuestionName> & AskLimits
    }
  | { readonly type: 'cancel'; readonly call: number }
  | { readonly type: 'interrupt'; readonly store: number }
  | { readonly type: 'ping'; readonly call: number }

/** Messages from the thread. */
export type FromStoreThread =
  | { readonly type: 'result'; readonly call: number; readonly result: unknown }
  | { readonly type: 'error'; readonly call: number; readonly error: ThreadError }
  | { readonly type: 'progress'; readonly call: number; readonly progress: QueryProgress }
  | { readonly type: 'repair'; readonly store: number; readonly message: string }
