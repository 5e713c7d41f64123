declare module 's3rver' {
  interface Options {
    address: string
    port: number
    silent: boolean
    directory: string
    resetOnClose: boolean
    configureBuckets: readonly { name: string; configs: readonly string[] }[]
  }
  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ address: string; port: number }>
    close(): Promise<void>
  }
}
