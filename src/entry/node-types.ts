/** The types that `waymark/node` and `waymark/edge` export. */
export type { NodeAgentOptions as ServerOptions } from '../agent/node/options.ts'
export type {
  AliasInput,
  CaptureInput,
  GroupIdentifyInput,
  IdentifyInput,
  Properties,
  Waymark,
} from '../agent/node/waymark.ts'
export type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
export type { SendReport } from '../capture/post-events.ts'
export type { Status } from '../capture/status.ts'
export type { DropReason } from '../capture/drop-reason.ts'
export type { OnDrop } from '../capture/drop-report.ts'
export type { FlagResult } from '../flags/flag-verbs.ts'
export type { CachedDefinitions, FlagDefinitionCacheProvider } from '../flags/node/definitions/cache-provider.ts'
export type { EvaluatedFlags } from '../flags/node/evaluated-flags.ts'
export type { EvaluateOptions, FlagOptions, FlagReader, ReadOptions } from '../flags/node/flag-reader.ts'
export type { RequestContext } from '../port/request-context.ts'
export type { FlagValue } from '../wire/decide.ts'
export type { EventKey, PropertiesOf } from '../wire/typed-events.ts'
export type { FlagKey, FlagValueOf } from '../wire/typed-flags.ts'
