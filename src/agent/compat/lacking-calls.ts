import type { Properties, Property } from './properties.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- so that a typed callback of a page compiles, whatever it expects
type Callback = (...args: any[]) => void
// oxlint-disable-next-line typescript/no-explicit-any -- the same
type ListCallback = (list: any[], ...others: any[]) => void

/**
 * Calls of posthog-js without an equal here, so that programs that make them compile. None has an effect. Each warns once, and returns
 * undefined, also where the type says otherwise; a callback that waits for a list gets an empty one.
 */
export interface LackingCalls {
  /** @deprecated No effect. */
  addExceptionStep(message: string, properties?: Properties): void
  /** @deprecated No effect. */
  calculateEventProperties(event: string, properties: Properties, timestamp?: Date, uuid?: string): Properties
  /** @deprecated No effect. */
  canRenderSurvey(surveyId: string): null
  /** @deprecated No effect. */
  canRenderSurveyAsync(surveyId: string, forceReload?: boolean): Promise<Property>
  /** @deprecated No effect. */
  cancelPendingSurvey(surveyId: string): void
  /** @deprecated No effect. */
  captureException(error: unknown, properties?: Properties): undefined
  /** @deprecated No effect. */
  captureLog(options: object): void
  /** @deprecated No effect. */
  captureTraceFeedback(traceId: string | number, feedback: string): void
  /** @deprecated No effect. */
  captureTraceMetric(traceId: string | number, name: string, value: string | number | boolean): void
  /** @deprecated No effect. */
  clearIdentity(): void
  /** @deprecated No effect. */
  clear_opt_in_out_capturing(): void
  /** @deprecated No effect. */
  displaySurvey(surveyId: string, options?: object): void
  /** @deprecated The callback gets an empty list. */
  getActiveMatchingSurveys(callback: ListCallback, forceReload?: boolean): void
  /** @deprecated No effect. */
  getAllFeatureFlags(): Property[]
  /** @deprecated The callback gets an empty list. */
  getEarlyAccessFeatures(callback: ListCallback, forceReload?: boolean, stages?: readonly string[]): void
  /** @deprecated No effect. */
  getPageViewId(): string | undefined
  /** @deprecated No effect. */
  getSessionProperty(name: string): Property
  /** @deprecated The callback gets an empty list. */
  getSurveys(callback: ListCallback, forceReload?: boolean): void
  /** @deprecated No effect. */
  get_session_replay_url(options?: object): string
  /** @deprecated No effect. */
  loadToolbar(params: object): boolean
  /** @deprecated The callback is never called. */
  onSessionId(callback: Callback): () => void
  /** @deprecated The callback gets an empty list. */
  onSurveysLoaded(callback: ListCallback): () => void
  /** @deprecated No effect. */
  push(item: readonly unknown[]): void
  /** @deprecated No effect. */
  renderSurvey(surveyId: string, selector: string): void
  /** @deprecated No effect. */
  sessionRecordingStarted(): boolean
  /** @deprecated No effect. */
  setIdentity(distinctId: string, hash: string): void
  /** @deprecated No effect. */
  setInternalOrTestUser(): void
  /** @deprecated No effect. */
  set_config(config: object): void
  /** @deprecated No effect. */
  startExceptionAutocapture(config?: object): void
  /** @deprecated No effect. */
  startSessionRecording(override?: object | true): void
  /** @deprecated No effect. */
  stopExceptionAutocapture(): void
  /** @deprecated No effect. */
  stopSessionRecording(): void
  /** @deprecated No effect. */
  unsetPersonProperties(names: string | readonly string[]): void
  /** @deprecated No effect. */
  updateEarlyAccessFeatureEnrollment(key: string, isEnrolled: boolean, stage?: string): void
  /** @deprecated No effect. */
  updateFlags(flags: Readonly<Record<string, boolean | string>>, payloads?: object, options?: object): void
}
