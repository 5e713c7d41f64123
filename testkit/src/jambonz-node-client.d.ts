/** What is used of the published SDK, which has no types of its own. */
declare module '@jambonz/node-client' {
  interface Asked {
    url: string | undefined
    body: unknown
    get(name: string): string | string[] | undefined
  }

  class WebhookResponse {
    /** Throws unless the request is signed; else calls on. */
    static verifyJambonzSignature(secret: string): (asked: Asked, response: unknown, next: () => void) => void
    pause(verb: { length: number }): this
    say(verb: { text: string }): this
    hangup(verb: object): this
    toJSON(): object[]
  }

  const client: { WebhookResponse: typeof WebhookResponse }
  export default client
}
