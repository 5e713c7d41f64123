/** Names of the identity providers, by their value in `users.provider`. */
export const signInProviders = { google: 'Google', github: 'GitHub' } as const

export type SignInProviderName = keyof typeof signInProviders

export const isSignInProvider = (name: string): name is SignInProviderName => Object.hasOwn(signInProviders, name)

/** Returns the name of an identity provider, or the value itself if it is unknown. */
export const formatSignInProvider = (provider: string): string =>
  isSignInProvider(provider) ? signInProviders[provider] : provider
