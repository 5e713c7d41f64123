/** The runtime configuration, which the server provides as config.json and can change without a new build. */
export interface RuntimeConfiguration {
  /** An absolute URL, or a path on the same host. */
  apiBase: string
  /** The extensions of the platform API that the server supports. Empty if the server is not Patchbay. */
  extensions: ReadonlySet<string>
  /** The feature switches of the console. */
  switches: ReadonlySet<string>
  /** The AWS region whose CloudWatch holds the logs, or empty if the platform does not run on AWS. */
  awsRegion: string
  /** Undefined unless visitors can register. */
  hosting: Hosting | undefined
}

/** The configuration of a hosted installation (COMMON-06, COMMON-08). All of it is public. */
export interface Hosting {
  /** The service provider that owns the accounts of visitors. */
  serviceProvider: string
  termsUrl: string
  privacyUrl: string
  /** The configured sign-in providers by name. */
  signInProviders: Readonly<Record<string, SignInProvider>>
  /** Empty without billing. */
  stripePublishableKey: string
  /** The URL of Stripe's script. */
  stripeJs: string
}

export interface SignInProvider {
  clientId: string
  /** The consent page of the sign-in provider. */
  authorizeUrl: string
}

const textsIn = (list: unknown): ReadonlySet<string> => new Set(Array.isArray(list) ? list.map(String) : [])

const toMembers = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const unknown: Hosting = {
  serviceProvider: '',
  termsUrl: '',
  privacyUrl: '',
  signInProviders: {},
  stripePublishableKey: '',
  stripeJs: '',
}

/** Parses the runtime configuration. Without an API base, it is the same host with the path /api/v1 (COMMON-05). */
export const parseConfiguration = (value: unknown, origin: string): RuntimeConfiguration => {
  const members = toMembers(value)
  const switches = textsIn(members['switches'])
  return {
    // unchecked-regexp: runs on the operator's own config.json
    apiBase: (textIn(members['apiBase']) || `${origin}/api/v1`).replace(/\/+$/, ''),
    extensions: textsIn(members['extensions']),
    switches,
    awsRegion: textIn(members['awsRegion']),
    // The operator of the installation writes these values, so they are not validated further.
    hosting: switches.has('hosted-system') ? { ...unknown, ...toMembers(members['hosting']) } : undefined,
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

/** Loads the runtime configuration. Called once, before the first screen. */
export const loadConfiguration = async (): Promise<void> => {
  configuration = parseConfiguration(await fetched(), window.location.origin)
}

/** Returns the runtime configuration, or the default one before it is loaded. */
export const config = (): RuntimeConfiguration => configuration ?? parseConfiguration(undefined, window.location.origin)
