import type { SignInProviderName } from '@patchbay/rules/identity/sign-in-providers'
import { config } from '../../api/configuration.ts'
import { Button } from '../../ui/button.tsx'
import { redirectToProvider } from './start-sign-in.ts'

/** The labels of the buttons. The specification writes "Github". */
const names: Readonly<Record<SignInProviderName, string>> = { google: 'Google', github: 'Github' }
const order = ['google', 'github'] as const

/** A button for each way to sign in that is set up; without one there is nothing. */
export const ProviderButtons = ({ saying, from }: { saying: string; from: '/sign-in' | '/register' }) => {
  const setUp = config().hosting?.signInProviders ?? {}
  return order
    .filter((provider) => setUp[provider])
    .map((provider) => (
      <Button key={provider} onClick={() => void redirectToProvider(provider, from)}>
        {saying} {names[provider]}
      </Button>
    ))
}
