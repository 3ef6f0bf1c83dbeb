#pragma once

#include "core/pretend/abi/driver.h"

// The device properties reported by the CUDA runtime. Only the fields that the pretended device fills have
// names, the same ones in both versions; the rest reads as zero. abi_test compares offsets and sizes with
// NVIDIA's own headers.
extern "C" {

// CUDA 13's, as returned by cudaGetDeviceProperties.
struct cudaDeviceProp {
    char name[256];
    CUuuid uuid;
    char unused1[16];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    char unused2[4];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    char unused3[4];
    int canMapHostMemory;
    char unused4[164];
    int concurrentKernels;
    char unused5[4];
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    char unused6[4];
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    char unused7[4];
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    char unused8[4];
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    char unused9[16];
    int concurrentManagedAccess;
    int computePreemptionSupported;
    char unused10[4];
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    char unused11[8];
    int maxBlocksPerMultiProcessor;
    char unused12[4];
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    char unused13[12];
    int memoryPoolsSupported;
    char unused14[24];
    int clusterLaunch;
    char unused15[256];
};

// CUDA 12's, as returned by cudaGetDeviceProperties_v2; its headers call it cudaDeviceProp as well.
struct cudaDeviceProp12 {
    char name[256];
    CUuuid uuid;
    char unused1[16];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    char unused2[4];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    char unused3[4];
    int multiProcessorCount;
    char unused4[8];
    int canMapHostMemory;
    char unused5[172];
    int concurrentKernels;
    char unused6[4];
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    char unused7[4];
    int asyncEngineCount;
    int unifiedAddressing;
    char unused8[4];
    int memoryBusWidth;
    int l2CacheSize;
    char unused9[4];
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    char unused10[20];
    int concurrentManagedAccess;
    int computePreemptionSupported;
    char unused11[4];
    int cooperativeLaunch;
    char unused12[4];
    size_t sharedMemPerBlockOptin;
    char unused13[8];
    int maxBlocksPerMultiProcessor;
    char unused14[4];
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    char unused15[12];
    int memoryPoolsSupported;
    char unused16[24];
    int clusterLaunch;
    char unused17[256];
};

}  // extern "C"
