import { describe, expect, test } from "vitest";
import { networkFileSystem } from "./network-file-system.ts";

describe("network file systems", () => {
  test.each([
    [0x6969, "nfs"],
    [0xff534d42, "cifs"],
    [0xff534d42 | 0, "cifs"], // as a signed number, which some systems give
    [0xfe534d42, "smb2"],
    [0x517b, "smb"],
    [0x01021997, "9p"],
    [0x00c36400, "ceph"],
    [0x65735546, "fuse"],
  ])("%d is %s", (magic, name) => {
    expect(networkFileSystem(magic)).toBe(name);
  });

  test.each([
    [0xef53, "ext4"],
    [0x58465342, "xfs"],
    [0x9123683e, "btrfs"],
    [0x01021994, "tmpfs"],
    [0x794c7630, "overlay"],
  ])("%d (%s) is local", (magic) => {
    expect(networkFileSystem(magic)).toBeUndefined();
  });
});
