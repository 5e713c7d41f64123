/** The runtime configuration that stands beside the console's files; it changes without a build. */
export interface RuntimeConfiguration {
  /** absolute, or a path on the same host */
  apiBase: string
  /** what the server offers beyond the wire; empty for a server that is not ours */
  extensions: ReadonlySet<string>
  /** what is switched on for the console */
  switches: ReadonlySet<string>
  /** where the platform runs at Amazon, whose CloudWatch then has its logs; empty elsewhere */
  awsRegion: string
  /** where visitors register by themselves; undefined elsewhere */
  hosting: Hosting | undefined
}

/** What the console of a hosted installation knows beside (COMMON-06, COMMON-08): all of it is public. */
export interface Hosting {
  /** whose accounts those of visitors are */
  serviceProvider: string
  termsUrl: string
  privacyUrl: string
  /** by name, those that are set up */
  signInProviders: Readonly<Record<string, SignInProvider>>
  /** empty where nothing is sold */
  stripePublishableKey: string
  /** the address of Stripe's script */
  stripeJs: string
}

export interface SignInProvider {
  clientId: string
  /** where visitors are asked for their consent */
  authorizeUrl: string
}

const textsIn = (list: unknown): ReadonlySet<string> => new Set(Array.isArray(list) ? list.map(String) : [])

const membersOf = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null ? Object.fromEntries(Object.entries(given)) : {}

const textIn = (given: unknown): string => (typeof given === 'string' ? given : '')

const unknown: Hosting = {
  serviceProvider: '',
  termsUrl: '',
  privacyUrl: '',
  signInProviders: {},
  stripePublishableKey: '',
  stripeJs: '',
}

/** Without an API base: the same host with the path /api/v1 (spec 0 §1). */
export const parseConfiguration = (given: unknown, origin: string): RuntimeConfiguration => {
  const members = membersOf(given)
  const switches = textsIn(members['switches'])
  return {
    // unchecked-regexp: runs on the operator's own config.json
    apiBase: (textIn(members['apiBase']) || `${origin}/api/v1`).replace(/\/+$/, ''),
    extensions: textsIn(members['extensions']),
    switches,
    awsRegion: textIn(members['awsRegion']),
    // Whoever runs the installation wrote it.
    hosting: switches.has('hosted-system') ? { ...unknown, ...membersOf(members['hosting']) } : undefined,
  }
}

let configuration: RuntimeConfiguration | undefined

const fetched = async (): Promise<unknown> => {
  try {
    const response = await fetch('/config.json')
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** Read once, before the first screen. */
export const loadConfiguration = async (): Promise<void> => {
  configuration = parseConfiguration(await fetched(), window.location.origin)
}

export const config = (): RuntimeConfiguration => configuration ?? parseConfiguration(undefined, window.location.origin)
