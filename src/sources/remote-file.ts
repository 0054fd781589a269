/** `https://…`, `s3://BUCKET/KEY`, or `bucket:KEY` for an object of the fleet's bucket. */
export const isRemoteFile = (file: string): boolean =>
  /^(?:https?:\/\/|s3:\/\/|bucket:)/i.test(file);
