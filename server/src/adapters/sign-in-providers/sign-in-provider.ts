/** Identity providers for sign-in: Google and GitHub (docs/reference/platform-api/hosted-mode.md#registration). */

export const signInProviderNames = ['google', 'github'] as const
export type SignInProviderName = (typeof signInProviderNames)[number]

/** A verified identity. */
export interface Identity {
  provider: SignInProviderName
  /** Permanent ID of the person at the provider. */
  provider_id: string
  /**
   * Value of the API's `provider_userid`. For GitHub it is the login name, which may be reassigned to another person.
   */
  provider_userid: string
  /** Verified by the provider. */
  email: string
  picture: string | null
}

/** Result of the provider's consent page, with the parameters that the page was opened with. */
export interface SignInCode {
  code: string
  redirect_uri: string
  /** Undefined if the client does not use PKCE. */
  code_verifier: string | undefined
  /** Undefined if the client does not use a nonce. */
  nonce: string | undefined
}

/** Thrown if a provider rejects a code. The message is shown to the user. */
export class SignInError extends Error {}

/** An identity provider. */
export interface SignInProvider {
  /**
   * Exchanges a code for the identity.
   * @throws SignInError if the provider rejects the code, fails, or times out
   */
  identify(code: SignInCode): Promise<Identity>
}
