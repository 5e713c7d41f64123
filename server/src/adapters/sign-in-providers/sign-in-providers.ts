import type { SignInProviderSettings } from '../../config/settings/sign-in-provider-settings.ts'
import type { SignInProvider, SignInProviderName } from './sign-in-provider.ts'

export type SignInProviders = Readonly<Record<SignInProviderName, SignInProvider | null>>

type Load = (settings: SignInProviderSettings, seconds: number) => Promise<SignInProvider>

const load: Readonly<Record<SignInProviderName, Load>> = {
  google: async (...providerSettings) => (await import('./google.ts')).createGoogle(...providerSettings),
  github: async (...providerSettings) => (await import('./github.ts')).createGithub(...providerSettings),
}

/** Creates the configured providers. The library of each is imported on first use. */
export const createSignInProviders = (
  settings: Readonly<Record<SignInProviderName, SignInProviderSettings | null>>,
  { seconds = 10 } = {},
): SignInProviders => {
  const lazy = (name: SignInProviderName): SignInProvider | null => {
    const providerSettings = settings[name]
    if (providerSettings === null) return null
    let provider: Promise<SignInProvider> | undefined
    return {
      async identify(code) {
        provider ??= load[name](providerSettings, seconds)
        return (await provider).identify(code)
      },
    }
  }
  return { google: lazy('google'), github: lazy('github') }
}
