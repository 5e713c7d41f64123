/** Types of the parts of the published SDK that the tests use. The SDK has no types itself. */
declare module '@jambonz/node-client' {
  interface SdkRequest {
    url: string | undefined
    body: unknown
    get(name: string): string | string[] | undefined
  }

  class WebhookResponse {
    /** Throws unless the request has a valid signature. Otherwise calls `next`. */
    static verifyJambonzSignature(secret: string): (request: SdkRequest, response: unknown, next: () => void) => void
    pause(verb: { length: number }): this
    say(verb: { text: string }): this
    hangup(verb: object): this
    toJSON(): object[]
  }

  const client: { WebhookResponse: typeof WebhookResponse }
  export default client
}
