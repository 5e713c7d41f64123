/** Google and GitHub, which know who somebody is (api/4-calls-and-hosted.md §5.1). */

export const signInProviderNames = ['google', 'github'] as const

export type SignInProviderName = (typeof signInProviderNames)[number]

/** Who somebody proved to be. */
export interface Identity {
  provider: SignInProviderName
  /** what stays with a person at the provider for ever */
  provider_id: string
  /** as the wire's column has it: at GitHub the name of the login, which may change hands */
  provider_userid: string
  /** which the provider has verified */
  email: string
  picture: string | null
}

/** What came back from the page of consent, and what it was asked with. */
export interface SignInCode {
  code: string
  redirect_uri: string
  /** absent: the page was asked without PKCE */
  code_verifier: string | undefined
  /** absent: the page was asked without */
  nonce: string | undefined
}

/** Why a provider lets nobody in by a code; the text is for people. */
export class SignInRefused extends Error {}

export interface SignInProvider {
  /** Throws SignInRefused, also where it takes too long. */
  identify(code: SignInCode): Promise<Identity>
}
