/**
 * The name of a network file system for the magic number that statfs(2) gives, otherwise undefined.
 */
export const networkFileSystem = (magic: number): string | undefined => names.get(magic >>> 0);

/** File systems whose locks do not work between machines. */
const names = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x73757245, "coda"],
  [0x0bd00bd0, "lustre"],
  [0x65735546, "fuse"],
]);
