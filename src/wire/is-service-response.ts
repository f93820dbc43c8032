import { parseJson } from './parse-json.ts'
import { readServiceError } from './read-service-error.ts'

/** Whether a response can be from a service of the protocol: JSON, or a refusal in its form. A page or an empty answer is from another server. */
export const isServiceResponse = ({ status, body }: { readonly status: number; readonly body: string }): boolean =>
  status >= 200 && status < 300 ? !!parseJson(body) : !!readServiceError(body)
