import type { SignInProviderSettings } from '../../config/configuration.ts'
import type { SignInProvider, SignInProviderName } from './sign-in-provider.ts'

export type SignInProviders = Readonly<Record<SignInProviderName, SignInProvider | null>>

type Load = (settings: SignInProviderSettings, seconds: number) => Promise<SignInProvider>

const load: Readonly<Record<SignInProviderName, Load>> = {
  google: async (...given) => (await import('./google.ts')).createGoogle(...given),
  github: async (...given) => (await import('./github.ts')).createGithub(...given),
}

/** Libraries of those that are set, imported when first used. */
export const createSignInProviders = (
  settings: Readonly<Record<SignInProviderName, SignInProviderSettings | null>>,
  { seconds = 10 } = {},
): SignInProviders => {
  const lazy = (name: SignInProviderName): SignInProvider | null => {
    const given = settings[name]
    if (given === null) return null
    let provider: Promise<SignInProvider> | undefined
    return {
      async identify(code) {
        provider ??= load[name](given, seconds)
        return (await provider).identify(code)
      },
    }
  }
  return { google: lazy('google'), github: lazy('github') }
}
