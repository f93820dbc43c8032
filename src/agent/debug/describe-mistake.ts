import { findNearestName } from './nearest-name.ts'

const SENTENCES: Readonly<Record<string, (...details: readonly unknown[]) => string>> = {
  unknown_option: (name, names) => {
    const nearest = findNearestName(String(name), names as readonly string[])
    return `"${String(name)}" is not an option of init() and is ignored.${nearest ? ` Use "${nearest}".` : ''}`
  },
  extra_option: (name) =>
    `"${String(name)}" is an option of the extras and is ignored: use withExtras(init) of waymark/extras, or waymark-extras.js beside the script tag.`,
  second_init: (apiKey) =>
    `init("${String(apiKey)}") was called again with other options, which are ignored: the agent with this key runs already.`,
  no_key: () =>
    'Nothing is captured: the script tag has no data-key, and no init() has followed. Add data-key="<project API key>". A script of type="module" cannot read its tag: use defer instead.',
  no_tracing: () =>
    'tracingHeaders needs waymark-tracing.js beside the script, which could not be loaded: requests carry no tracing headers.',
  invalid_data_options: (json) => `data-options is not JSON and is ignored: ${String(json)}`,
}

/** The sentence for a mistake in the use of the agent; undefined for an unknown topic. */
export const describeMistake = (topic: string, ...details: readonly unknown[]): string | undefined =>
  SENTENCES[topic]?.(...details)
